//! Flag words of the system calls and of a VMA, with the kernel's own bit values.

use bitflags::bitflags;

bitflags! {
    /// `PROT_*` of mmap and mprotect. Unknown bits are kept: mmap ignores them, mprotect refuses them.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
    pub struct Prot: u32 {
        /// `PROT_READ`
        const READ = 1;
        /// `PROT_WRITE`
        const WRITE = 2;
        /// `PROT_EXEC`
        const EXEC = 4;
        /// `PROT_SEM`
        const SEM = 8;
        /// `PROT_GROWSDOWN`
        const GROWSDOWN = 0x0100_0000;
        /// `PROT_GROWSUP`
        const GROWSUP = 0x0200_0000;
        const _ = !0;
    }
}

bitflags! {
    /// `MAP_*` of mmap. Unknown bits are kept: a private mapping ignores them.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
    pub struct MapFlags: u32 {
        /// `MAP_SHARED`
        const SHARED = 0x1;
        /// `MAP_PRIVATE`
        const PRIVATE = 0x2;
        /// `MAP_FIXED`
        const FIXED = 0x10;
        /// `MAP_ANONYMOUS`
        const ANONYMOUS = 0x20;
        /// `MAP_32BIT`
        const BIT32 = 0x40;
        /// `MAP_ABOVE4G`
        const ABOVE4G = 0x80;
        /// `MAP_GROWSDOWN`
        const GROWSDOWN = 0x100;
        /// `MAP_DENYWRITE`: ignored
        const DENYWRITE = 0x800;
        /// `MAP_EXECUTABLE`: ignored
        const EXECUTABLE = 0x1000;
        /// `MAP_LOCKED`
        const LOCKED = 0x2000;
        /// `MAP_NORESERVE`
        const NORESERVE = 0x4000;
        /// `MAP_POPULATE`
        const POPULATE = 0x8000;
        /// `MAP_NONBLOCK`
        const NONBLOCK = 0x1_0000;
        /// `MAP_STACK`
        const STACK = 0x2_0000;
        /// `MAP_HUGETLB`
        const HUGETLB = 0x4_0000;
        /// `MAP_SYNC`
        const SYNC = 0x8_0000;
        /// `MAP_FIXED_NOREPLACE`
        const FIXED_NOREPLACE = 0x10_0000;
        const _ = !0;
    }
}

impl MapFlags {
    /// The bits that say private, shared or shared with validation (`MAP_TYPE`).
    pub const TYPE: u32 = 0xf;
    /// `MAP_TYPE`: `MAP_SHARED`
    pub const TYPE_SHARED: u32 = 1;
    /// `MAP_TYPE`: `MAP_PRIVATE`
    pub const TYPE_PRIVATE: u32 = 2;
    /// `MAP_TYPE`: `MAP_SHARED_VALIDATE`
    pub const TYPE_SHARED_VALIDATE: u32 = 3;
    /// `MAP_TYPE`: `MAP_DROPPABLE`
    pub const TYPE_DROPPABLE: u32 = 8;

    /// Where the size of a huge page is encoded (`MAP_HUGE_SHIFT`), six bits.
    pub const HUGE_SHIFT: u32 = 26;

    /// `MAP_PRIVATE | MAP_ANONYMOUS`
    pub const PRIVATE_ANONYMOUS: MapFlags = MapFlags::PRIVATE.union(MapFlags::ANONYMOUS);

    /// The flags that `MAP_SHARED_VALIDATE` lets pass for any file (`LEGACY_MAP_MASK`).
    pub const LEGACY: MapFlags = MapFlags::SHARED
        .union(MapFlags::PRIVATE_ANONYMOUS)
        .union(MapFlags::FIXED)
        .union(MapFlags::BIT32)
        .union(MapFlags::ABOVE4G)
        .union(MapFlags::GROWSDOWN)
        .union(MapFlags::DENYWRITE)
        .union(MapFlags::EXECUTABLE)
        .union(MapFlags::LOCKED)
        .union(MapFlags::NORESERVE)
        .union(MapFlags::POPULATE)
        .union(MapFlags::NONBLOCK)
        .union(MapFlags::STACK)
        .union(MapFlags::HUGETLB)
        .union(MapFlags::from_bits_retain(
            21 << MapFlags::HUGE_SHIFT | 30 << MapFlags::HUGE_SHIFT,
        ));

    /// log2 of the huge page size asked for; 0 for the default size.
    pub fn huge_order(self) -> u32 {
        (self.bits() >> Self::HUGE_SHIFT) & 0x3f
    }
}

bitflags! {
    /// `MREMAP_*`. Unknown bits are kept: mremap refuses them.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
    pub struct MremapFlags: u32 {
        /// `MREMAP_MAYMOVE`
        const MAYMOVE = 1;
        /// `MREMAP_FIXED`
        const FIXED = 2;
        /// `MREMAP_DONTUNMAP`
        const DONTUNMAP = 4;
    }
}

bitflags! {
    /// `VM_*` of a VMA, as `include/linux/mm.h` numbers them.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
    pub struct VmFlags: u64 {
        /// `VM_READ`
        const READ = 0x1;
        /// `VM_WRITE`
        const WRITE = 0x2;
        /// `VM_EXEC`
        const EXEC = 0x4;
        /// `VM_SHARED`
        const SHARED = 0x8;
        /// `VM_MAYREAD`
        const MAYREAD = 0x10;
        /// `VM_MAYWRITE`
        const MAYWRITE = 0x20;
        /// `VM_MAYEXEC`
        const MAYEXEC = 0x40;
        /// `VM_MAYSHARE`
        const MAYSHARE = 0x80;
        /// `VM_GROWSDOWN`
        const GROWSDOWN = 0x100;
        /// `VM_PFNMAP`
        const PFNMAP = 0x400;
        /// `VM_MAYBE_GUARD`
        const MAYBE_GUARD = 0x800;
        /// `VM_LOCKED`
        const LOCKED = 0x2000;
        /// `VM_IO`
        const IO = 0x4000;
        /// `VM_SEQ_READ`
        const SEQ_READ = 0x8000;
        /// `VM_RAND_READ`
        const RAND_READ = 0x1_0000;
        /// `VM_DONTCOPY`
        const DONTCOPY = 0x2_0000;
        /// `VM_DONTEXPAND`
        const DONTEXPAND = 0x4_0000;
        /// `VM_LOCKONFAULT`
        const LOCKONFAULT = 0x8_0000;
        /// `VM_ACCOUNT`
        const ACCOUNT = 0x10_0000;
        /// `VM_NORESERVE`
        const NORESERVE = 0x20_0000;
        /// `VM_SYNC`
        const SYNC = 0x0080_0000;
        /// `VM_WIPEONFORK`
        const WIPEONFORK = 0x0200_0000;
        /// `VM_DONTDUMP`
        const DONTDUMP = 0x0400_0000;
        /// `VM_SOFTDIRTY`
        const SOFTDIRTY = 0x0800_0000;
        /// `VM_MIXEDMAP`
        const MIXEDMAP = 0x1000_0000;
        /// `VM_HUGEPAGE`
        const HUGEPAGE = 0x2000_0000;
        /// `VM_NOHUGEPAGE`
        const NOHUGEPAGE = 0x4000_0000;
        /// `VM_MERGEABLE`
        const MERGEABLE = 0x8000_0000;
        /// `VM_DROPPABLE`
        const DROPPABLE = 1 << 40;
        /// `VM_SEALED`
        const SEALED = 1 << 42;
    }
}

impl VmFlags {
    /// `VM_ACCESS_FLAGS`
    pub const ACCESS: VmFlags = VmFlags::READ.union(VmFlags::WRITE).union(VmFlags::EXEC);
    /// `VM_MAYREAD | VM_MAYWRITE | VM_MAYEXEC`
    pub const MAY_ACCESS: VmFlags = VmFlags::MAYREAD
        .union(VmFlags::MAYWRITE)
        .union(VmFlags::MAYEXEC);
    /// `VM_SPECIAL`: mappings that never merge.
    pub const SPECIAL: VmFlags = VmFlags::IO
        .union(VmFlags::DONTEXPAND)
        .union(VmFlags::PFNMAP)
        .union(VmFlags::MIXEDMAP);

    /// `VM_LOCKED_MASK`
    pub const LOCKED_MASK: VmFlags = VmFlags::LOCKED.union(VmFlags::LOCKONFAULT);

    /// The access bits that a `PROT_*` word asks for (`calc_vm_prot_bits`).
    pub fn from_prot(prot: Prot) -> VmFlags {
        VmFlags::from_bits_truncate(u64::from(prot.bits())) & VmFlags::ACCESS
    }

    /// The `perms` column of `/proc/PID/maps`, four characters.
    pub fn perms(self) -> [char; 4] {
        let pick = |flag, yes| if self.contains(flag) { yes } else { '-' };
        [
            pick(VmFlags::READ, 'r'),
            pick(VmFlags::WRITE, 'w'),
            pick(VmFlags::EXEC, 'x'),
            if self.contains(VmFlags::MAYSHARE) {
                's'
            } else {
                'p'
            },
        ]
    }

    /// The kernel's names of the flags that are set, lowest bit first, without `VM_`.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        self.iter_names().map(|(name, _)| name)
    }

    /// Whether pages of such a mapping count as data (`is_data_mapping`).
    pub fn is_data(self) -> bool {
        let mask = VmFlags::WRITE | VmFlags::SHARED | VmFlags::GROWSDOWN;
        self & mask == VmFlags::WRITE
    }

    /// Whether such a mapping is charged against the commit limit (`accountable_mapping`).
    pub fn is_accountable(self) -> bool {
        let mask = VmFlags::NORESERVE | VmFlags::SHARED | VmFlags::WRITE;
        self & mask == VmFlags::WRITE
    }
}
