"""Evolution of genome vectors: knows tensors and a fitness callable, never poker."""
