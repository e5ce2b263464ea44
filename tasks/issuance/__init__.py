"""Steps that stage, release and reconcile share: post, settle doubts, prove, follow, and check finished batches."""
