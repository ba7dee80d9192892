# compactor.hcl: two chains and what chooses between them. compactor.yaml beside
# this file says the same.

# What runs when no route says otherwise.
chain "default" {
  # The room that stays free under the model's window. A prompt is due when it
  # reaches the rest, and is then brought down to the target.
  buffer = "15%"
  target = "70%"

  # First what costs least: old tool output gives way to a note.
  step "clear-tools" {
    keep_recent_tool_results = 5
    exclude_tools            = ["update_plan"]
    min_savings              = "10%"
  }

  # Then, if that was not enough, the oldest messages go.
  step "evict" {
    keep_recent_tokens = 20000
    timeout            = "30s"
  }
}

# For models of which many calls are made: a fixed limit, whatever the window.
chain "cheap" {
  max_tokens = 50000

  step "clear-tools" {
    keep_recent_tool_results = 2
    clear_inputs             = true
  }
  step "evict" {
    marker = "[{count} messages of this conversation are not shown: {what}]"
  }
}

# The first route that matches wins.
route {
  match {
    models = ["*-mini", "claude-haiku-*"]
  }
  chain = "cheap"
}

# The window of a model that the host does not know.
model "local-coder" {
  window = 128000
  output = 8000
}

# What the user forbade stays word for word, whatever a strategy does.
pin {
  roles   = ["user"]
  pattern = "(?i)never|always|must not"
}
