"""Training (extra ``train``): fine-tuning, multi-task learning, distillation and export."""
