//! The library's closest points against the oracle: a small run of `hitscan-oracle distances`.

use hitscan_oracle::distances;
use hitscan_oracle::number::Precision;
use hitscan_oracle::query_plan::QueryPlan;

#[test]
fn closest_points_keep_the_contract() {
    let precisions = vec![Precision::F32, Precision::F64];
    let (table, is_clean) =
        distances::run(&QueryPlan { seed: 20, cases: 2_000, shape: None, precisions, threads: 2 }).unwrap();
    assert!(is_clean, "{table}");
}
