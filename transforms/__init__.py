"""What happens to an answer: one step a file, in the order an answer meets them."""
