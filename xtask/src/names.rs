//! Names without hashes: what the two halves of a program call each other by.
//!
//! wasm-bindgen ends these names with 16 hexadecimal digits that no compression makes shorter, once in the script and once
//! in the WebAssembly file. In a finished build they are numbers instead: the first lesson loads 3 kB less.

use std::collections::BTreeMap;
use std::path::Path;

use crate::{Result, paths};

const DIGITS: usize = 16;

/// Renames in each script of a directory that has a WebAssembly file beside it, and in that.
pub(crate) fn shorten(dir: &Path) -> Result<()> {
    let entries = dir
        .read_dir()
        .map_err(|error| format!("cannot read {}: {error}", dir.display()))?;
    for wasm in entries.flatten().map(|entry| entry.path()) {
        let name = wasm.file_name().unwrap_or_default().to_string_lossy();
        if let Some(name) = name.strip_suffix("_bg.wasm") {
            let script = dir.join(format!("{name}.js"));
            let (new_script, new_wasm) = renamed(&bytes(&script)?, &bytes(&wasm)?);
            paths::write(&script, new_script)?;
            paths::write(&wasm, new_wasm)?;
        }
    }
    Ok(())
}

fn bytes(path: &Path) -> Result<Vec<u8>> {
    std::fs::read(path).map_err(|error| format!("cannot read {}: {error}", path.display()))
}

/// Both halves, with numbers for the hashes that stand in both.
fn renamed(script: &[u8], wasm: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let in_wasm: Vec<&[u8]> = places(wasm).map(|at| &wasm[at..at + DIGITS]).collect();
    let mut numbers: BTreeMap<&[u8], String> = BTreeMap::new();
    for hash in places(script).map(|at| &script[at..at + DIGITS]) {
        if in_wasm.contains(&hash) && !numbers.contains_key(hash) {
            numbers.insert(hash, format!("{:0DIGITS$}", numbers.len()));
        }
    }
    let rename = |bytes: &[u8]| {
        let mut new = bytes.to_vec();
        for at in places(bytes) {
            if let Some(number) = numbers.get(&bytes[at..at + DIGITS]) {
                new[at..at + DIGITS].copy_from_slice(number.as_bytes());
            }
        }
        new
    };
    (rename(script), rename(wasm))
}

/// Where names end with a hash, as `_` or `h` and the digits.
fn places(bytes: &[u8]) -> impl Iterator<Item = usize> {
    let is_digit = |byte: &u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let windows = bytes.windows(DIGITS + 1).enumerate();
    windows.filter_map(move |(before, window)| {
        let begins = matches!(window[0], b'_' | b'h') && window[1..].iter().all(is_digit);
        let ends = !bytes.get(before + DIGITS + 1).is_some_and(is_name);
        (begins && ends).then_some(before + 1)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_that_both_have_become_numbers() {
        let script = b"a_00112233445566aa(b__h0123456789abcdef) x_0000000000000000 c_00112233445566aa d_ffffffffffffffff";
        let wasm =
            b"\x10a_00112233445566aa\0b__h0123456789abcdef\0x_0000000000000000\0e_eeeeeeeeeeeeeeee";
        let (script, wasm) = renamed(script, wasm);
        assert_eq!(
            script,
            b"a_0000000000000000(b__h0000000000000001) x_0000000000000002 c_0000000000000000 d_ffffffffffffffff"
        );
        assert_eq!(
            wasm,
            b"\x10a_0000000000000000\0b__h0000000000000001\0x_0000000000000002\0e_eeeeeeeeeeeeeeee"
        );
    }

    #[test]
    fn other_digits_stay() {
        let text = b"0123456789abcdef _0123456789abcdef0 _0123456789abcde x0123456789abcdef";
        assert_eq!(places(text).count(), 0);
    }
}
