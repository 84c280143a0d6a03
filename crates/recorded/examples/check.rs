//! Checks files of recorded cases.

fn main() {
    for path in std::env::args().skip(1) {
        let text = std::fs::read_to_string(&path).unwrap();
        match mmscope_recorded::check_text(&text) {
            Ok(report) => {
                println!("{path}: {report}");
                if let Some(first) = report.first {
                    println!("{first}");
                }
            }
            Err(error) => println!("{path}: {error}"),
        }
    }
}
