"""Steps that stage, release and reconcile share: posting, doubts, proof, following and recounting."""
