# keep-last.hcl: the strategy of this folder, and what comes after it.
plugin "keep-last" {
  command = ["dist/compactor-strategy-keep-last"]
}

chain "default" {
  max_tokens = 12000

  step "keep-last" {
    keep = 3
  }
  step "evict" {} # when three exchanges are still too much
}
