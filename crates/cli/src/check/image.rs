//! The program that the observed process runs: one page, made here byte by byte.
//!
//! It has no libc, no heap and no `.bss`, so that nothing but the calls under test changes its address space. It does
//! nothing by itself: the tracer sets its registers, lets it go on, and it stops again at the next `int3`.

/// Where the page with the code lies. The page above it is the only data.
pub(super) const BASE: u64 = 0x40_0000;
/// The end of all that is loaded, where an unrandomized heap begins.
#[cfg(test)]
const END: u64 = DATA + PAGE;
/// The data page: the same page of the file again, private and writable.
pub(super) const DATA: u64 = BASE + PAGE;
const PAGE: u64 = 4096;

/// `syscall`, with the number in rax and the arguments in rdi, rsi, rdx, r10, r8, r9.
pub(super) const SYSCALL: u64 = BASE + SYSCALL_AT as u64;
/// Behind `syscall`: the result is in rax.
pub(super) const AFTER_SYSCALL: u64 = SYSCALL + 2;
/// Writes al to rcx bytes, the first at rdi, each rdx behind the last.
pub(super) const WRITE: u64 = BASE + WRITE_AT as u64;
/// Reads them.
pub(super) const READ: u64 = BASE + READ_AT as u64;

/// Room for what system calls read from memory, behind the code: the code's page is there as long as the process works.
pub(super) const SCRATCH: u64 = BASE + 0x200;

const SYSCALL_AT: usize = 0x100;
const WRITE_AT: usize = 0x110;
const READ_AT: usize = 0x120;

/// `syscall; int3`
const CALL_CODE: [u8; 3] = [0x0f, 0x05, 0xcc];
/// `1: mov [rdi], al; add rdi, rdx; dec rcx; jnz 1b; int3`
const WRITE_CODE: [u8; 11] = [
    0x88, 0x07, 0x48, 0x01, 0xd7, 0x48, 0xff, 0xc9, 0x75, 0xf6, 0xcc,
];
/// `1: mov al, [rdi]; add rdi, rdx; dec rcx; jnz 1b; int3`
const READ_CODE: [u8; 11] = [
    0x8a, 0x07, 0x48, 0x01, 0xd7, 0x48, 0xff, 0xc9, 0x75, 0xf6, 0xcc,
];

const PT_LOAD: u32 = 1;
const PT_GNU_STACK: u32 = 0x6474_e551;
const PF_X: u32 = 1;
const PF_W: u32 = 2;
const PF_R: u32 = 4;

/// The file: an ELF header, three program headers, the code, and nothing up to the end of the page.
pub(super) fn bytes() -> Vec<u8> {
    let mut elf = Vec::with_capacity(PAGE as usize);
    // e_ident: magic, ELFCLASS64, ELFDATA2LSB, EV_CURRENT, ELFOSABI_SYSV, padding.
    elf.extend(b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0");
    elf.extend(2u16.to_le_bytes()); // e_type: ET_EXEC
    elf.extend(62u16.to_le_bytes()); // e_machine: EM_X86_64
    elf.extend(1u32.to_le_bytes()); // e_version
    elf.extend(AFTER_SYSCALL.to_le_bytes()); // e_entry: an int3
    elf.extend(64u64.to_le_bytes()); // e_phoff: right behind this header
    elf.extend(0u64.to_le_bytes()); // e_shoff: no sections
    elf.extend(0u32.to_le_bytes()); // e_flags
    elf.extend(64u16.to_le_bytes()); // e_ehsize
    elf.extend(56u16.to_le_bytes()); // e_phentsize
    elf.extend(3u16.to_le_bytes()); // e_phnum
    elf.extend([0; 6]); // e_shentsize, e_shnum, e_shstrndx
    program_header(&mut elf, PT_LOAD, PF_R | PF_X, BASE, PAGE);
    program_header(&mut elf, PT_LOAD, PF_R | PF_W, DATA, PAGE);
    // Without it some kernels make the stack executable.
    program_header(&mut elf, PT_GNU_STACK, PF_R | PF_W, 0, 0);
    elf.resize(PAGE as usize, 0);
    elf[SYSCALL_AT..][..CALL_CODE.len()].copy_from_slice(&CALL_CODE);
    elf[WRITE_AT..][..WRITE_CODE.len()].copy_from_slice(&WRITE_CODE);
    elf[READ_AT..][..READ_CODE.len()].copy_from_slice(&READ_CODE);
    elf
}

/// Both segments show the file from its beginning.
fn program_header(elf: &mut Vec<u8>, kind: u32, flags: u32, at: u64, len: u64) {
    elf.extend(kind.to_le_bytes()); // p_type
    elf.extend(flags.to_le_bytes()); // p_flags
    elf.extend(0u64.to_le_bytes()); // p_offset
    elf.extend(at.to_le_bytes()); // p_vaddr
    elf.extend(at.to_le_bytes()); // p_paddr
    elf.extend(len.to_le_bytes()); // p_filesz
    elf.extend(len.to_le_bytes()); // p_memsz
    elf.extend(PAGE.to_le_bytes()); // p_align
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_image_is_one_page_with_two_segments_and_three_pieces_of_code() {
        let elf = bytes();
        assert_eq!(elf.len(), 4096);
        assert_eq!(&elf[..6], b"\x7fELF\x02\x01");
        let word = |at: usize| u64::from_le_bytes(elf[at..at + 8].try_into().unwrap());
        assert_eq!(word(24), AFTER_SYSCALL);
        assert_eq!(word(32), 64);
        for (number, at) in [BASE, DATA, 0].into_iter().enumerate() {
            let header = 64 + 56 * number;
            assert_eq!(word(header + 16), at, "p_vaddr {number}");
            assert_eq!(word(header + 8), 0, "p_offset {number}");
        }
        assert_eq!(word(64 + 56 + 16) + word(64 + 56 + 40), END);
        // The headers end before the code, and the entry is an int3.
        const { assert!(64 + 3 * 56 <= SYSCALL_AT) };
        assert_eq!(elf[(AFTER_SYSCALL - BASE) as usize], 0xcc);
        // Both loops jump back to their first byte.
        for (code, jump) in [(WRITE_AT, 8), (READ_AT, 8)] {
            let back = i64::from(elf[code + jump + 1] as i8);
            assert_eq!(elf[code + jump], 0x75);
            assert_eq!(code as i64 + jump as i64 + 2 + back, code as i64);
        }
    }
}
