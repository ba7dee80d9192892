package openairesponses

import "github.com/compactor-host/compactor/framework/dialect"

// item says how items of a type are read.
type item struct {
	class dialect.Class
	read  func(*reading) error
}

// items are the types that are known, apart from plain messages. A call and
// its output share an id; calls that the provider runs itself have no output
// item.
var items = map[string]item{
	"reasoning": {dialect.ClassModel, (*reading).reasoning},

	"function_call":           {dialect.ClassModel, (*reading).functionCall},
	"function_call_output":    {dialect.ClassResult, (*reading).result},
	"custom_tool_call":        {dialect.ClassModel, (*reading).customCall},
	"custom_tool_call_output": {dialect.ClassResult, (*reading).result},
	"local_shell_call":        {dialect.ClassModel, (*reading).shellCall},
	"local_shell_call_output": {dialect.ClassResult, (*reading).result},
	"shell_call":              {dialect.ClassModel, (*reading).call},
	"shell_call_output":       {dialect.ClassResult, (*reading).result},
	"apply_patch_call":        {dialect.ClassModel, (*reading).call},
	"apply_patch_call_output": {dialect.ClassResult, (*reading).result},
	"computer_call":           {dialect.ClassModel, (*reading).call},
	"computer_call_output":    {dialect.ClassResult, (*reading).closedResult},
	"tool_search_call":        {dialect.ClassModel, (*reading).searchCall},
	"tool_search_output":      {dialect.ClassResult, (*reading).searchOutput},
	"program":                 {dialect.ClassModel, (*reading).program},
	"program_output":          {dialect.ClassResult, (*reading).closedResult},
	"mcp_approval_request":    {dialect.ClassModel, (*reading).approvalRequest},
	"mcp_approval_response":   {dialect.ClassResult, (*reading).approvalResponse},
	"web_search_call":         {dialect.ClassModel, (*reading).other},
	"file_search_call":        {dialect.ClassModel, (*reading).other},
	"code_interpreter_call":   {dialect.ClassModel, (*reading).other},
	"image_generation_call":   {dialect.ClassModel, (*reading).image},
	"mcp_call":                {dialect.ClassModel, (*reading).other},
	"mcp_list_tools":          {dialect.ClassModel, (*reading).other},
	"compaction":              {dialect.ClassModel, (*reading).opaque},
	"compaction_summary":      {dialect.ClassModel, (*reading).opaque},
	"context_compaction":      {dialect.ClassModel, (*reading).opaque},
	"additional_tools":        {dialect.ClassConfig, (*reading).other},
	"configuration_update":    {dialect.ClassConfig, (*reading).other},
	"compaction_trigger":      {dialect.ClassConfig, (*reading).other},
}
