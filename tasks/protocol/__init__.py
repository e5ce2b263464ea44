"""The steps that stage, release and reconcile share: stable listings, posting, doubts and proof."""
