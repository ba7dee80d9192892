# gateway.hcl: `compactor serve` for a team, on a machine of its own. With less,
# such as no file at all, the gateway serves the user of one machine: it listens
# on loopback and passes requests on to OpenAI and Anthropic.

# Reached by others, so it has to tell them apart: tenants share nothing. Who sits
# in front of the gateway sets the header and lets no client choose it.
listen        = "0.0.0.0:8787"
tenant_header = "X-Team"

# Sizes are the provider's own counts, and an estimate of what came after them.
count     = "usage"
estimator = "o200k_base"

# An overflow at the start of a stream can be recovered as long as nothing of it
# has reached the client; it is held back for this long at most.
hold = "3s"

# Clients that wait for a compaction hear from the gateway this often.
keepalive = "15s"

# The words of a provider of one's own for a prompt that is too large.
overflow_patterns = ["sequence of \\d+ tokens does not fit"]

# Where requests go, by the dialect they are in. The keys are the clients' own.
# Of two providers for one dialect, routes name one; the other has the rest.
provider "openai" {
  dialects = ["openai-chat", "openai-responses"]
  base_url = "https://api.openai.com/v1"
}
provider "anthropic" {
  dialects = ["anthropic"]
  base_url = "https://api.anthropic.com"
}
provider "local" {
  dialects = ["openai-chat"]
  base_url = "http://models.internal:8000/v1"
}

# What a model of one's own can take, in tokens, and costs, in US dollars per
# million of them.
model "qwen-coder" {
  window = 131072
  input  = 120000
  output = 8192
  prices {
    input      = 0.2
    output     = 0.6
    cache_read = 0.02
  }
}

chain "default" {
  step "clear-tools" {}
  step "evict" {}
}

# Leaves prompts alone until a provider refuses one.
chain "careful" {
  auto        = false
  on_overflow = "compact"
  step "clear-tools" {}
  step "evict" {}
}

# The first route that matches wins.
route {
  match { models = ["qwen-*"] }
  provider = "local"
}
route {
  match {
    paths   = ["/v1/responses*"]
    headers = { "User-Agent" = "codex*" }
  }
  chain = "careful"
}
route {
  match { headers = { "X-Project" = "*" } }
  tenant = "project-${header.X-Project}"
}

# Compactions outlive the process, up to this size and age. Nothing of what was
# said is written to the disk.
store "sqlite" {
  path     = "/var/lib/compactor/state.db"
  max_size = "2GiB"
  expiry   = "168h"
  contents = "none"
}

log {
  level  = "info"
  format = "json"
}
