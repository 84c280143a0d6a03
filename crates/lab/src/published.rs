//! Numbers that others have measured and published, and what is calibrated by them. Nothing here is counted.

use mmscope_mm::{Change, Kernel};

/// A throughput as it was published.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Point {
    /// The commit or series that was measured; `None` for the kernel before it.
    pub with: Option<&'static str>,
    /// Operations in a second.
    pub ops: u32,
    /// The change against the kernel before, in tenths of a percent, as published; 0 for that kernel itself.
    pub change: i16,
}

/// Measurements of one benchmark by one person on one machine, and the headline of the first report.
#[derive(Debug, PartialEq, Eq)]
pub struct Published {
    /// The throughputs, the kernel before the change first.
    pub points: &'static [Point],
    /// Who measured them.
    pub by: &'static str,
    /// The date of the mail that has them.
    pub date: &'static str,
    /// The change that the first report named, in tenths of a percent.
    pub headline: i16,
    /// Who reported that, and the Message-ID.
    pub headline_by: &'static str,
}

/// AIM9 page_test before 28c5609fb236, with it, and with the series that reduced preallocation.
pub const PAGE_TEST: Published = Published {
    points: &[
        Point {
            with: None,
            ops: 763_812,
            change: 0,
        },
        Point {
            with: Some("28c5609fb236"),
            ops: 676_600,
            change: -114,
        },
        Point {
            with: Some("the reduction series, v2"),
            ops: 734_060,
            change: -39,
        },
    ],
    by: "Yin Fengwei",
    date: "2023-06-15",
    headline: -108,
    headline_by: "kernel test robot, <202305061457.ac15990c-yujie.liu@intel.com>",
};

/// Nanoseconds of a page_test operation without nodes: 1 s / 763 812.
pub const BASE_NS: u64 = 1309;
/// Nanoseconds that a node adds, from the allocator and back: (1 s / 676 600 − 1309 ns) / 7 nodes.
pub const NODE_NS: u64 = 24;
/// Nanoseconds that finding out adds how many nodes a write needs: 1 s / 734 060 − 1309 ns.
pub const FIT_NS: u64 = 53;

/// An estimate of the time of one page_test operation, a growth of the heap that asks for so many nodes, in
/// nanoseconds. It meets [`PAGE_TEST`] by construction. `None` for kernels that it was not calibrated for: those with a
/// red-black tree, and those that find out by store types or take nodes from sheaves.
pub fn estimate(kernel: Kernel, nodes: u64) -> Option<u64> {
    if !kernel.has(Change::MapleTree)
        || kernel.has(Change::StoreTypes)
        || kernel.has(Change::NodeSheaves)
    {
        return None;
    }
    let fits = kernel.has(Change::PreallocFits) && kernel.has(Change::BrkPreallocates);
    Some(BASE_NS + NODE_NS * nodes + if fits { FIT_NS } else { 0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By construction: the calibration gives back what it was made from.
    #[test]
    fn the_estimate_meets_the_published_points() {
        let kernels = [("6.1-rc1", 0), ("6.1", 7), ("6.6", 0)];
        let before = PAGE_TEST.points[0];
        for ((kernel, nodes), point) in kernels.into_iter().zip(PAGE_TEST.points) {
            let kernel = Kernel::parse(kernel).unwrap();
            let estimated = estimate(kernel, nodes).unwrap();
            let published = 1e9 / f64::from(point.ops);
            assert!((published - estimated as f64).abs() < 1.5, "{kernel}");
            let change = f64::from(point.ops) / f64::from(before.ops) - 1.0;
            assert_eq!((change * 1000.0).round() as i16, point.change);
        }
        for kernel in ["6.0", "6.12", "7.3"] {
            assert_eq!(estimate(Kernel::parse(kernel).unwrap(), 0), None);
        }
    }
}
