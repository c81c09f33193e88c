/** Architectures with a known filter, in Node's names. */
export type Architecture = 'x64' | 'arm64';

/**
 * Calls that a sandbox does not need, with their numbers on x64 and arm64; null where the architecture lacks the call. The numbers are
 * from kernel 6.1: `arch/x86/entry/syscalls/syscall_64.tbl`, and `include/uapi/asm-generic/unistd.h` for arm64.
 */
export const REFUSED_CALLS: Readonly<Record<string, readonly [x64: number | null, arm64: number | null]>> = {
  ptrace: [101, 117],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  process_madvise: [440, 440],
  process_mrelease: [448, 448],
  pidfd_getfd: [438, 438],
  kcmp: [312, 272],
  // These calls change the kernel itself, or give it programs to run.
  kexec_load: [246, 104],
  kexec_file_load: [320, 294],
  init_module: [175, 105],
  finit_module: [313, 273],
  delete_module: [176, 106],
  create_module: [174, null],
  query_module: [178, null],
  get_kernel_syms: [177, null],
  bpf: [321, 280],
  perf_event_open: [298, 241],
  lookup_dcookie: [212, 18],
  // Kernel vulnerabilities were often exploited through these calls.
  userfaultfd: [323, 282],
  io_uring_setup: [425, 425],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
  keyctl: [250, 219],
  add_key: [248, 217],
  request_key: [249, 218],
  modify_ldt: [154, null],
  // These calls change mounts and namespaces.
  mount: [165, 40],
  umount2: [166, 39],
  pivot_root: [155, 41],
  chroot: [161, 51],
  move_mount: [429, 429],
  fsopen: [430, 430],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fspick: [433, 433],
  open_tree: [428, 428],
  mount_setattr: [442, 442],
  setns: [308, 268],
  unshare: [272, 97],
  // These calls open files without passing the folders above them.
  open_by_handle_at: [304, 265],
  name_to_handle_at: [303, 264],
  fanotify_init: [300, 262],
  // These calls change the whole machine: disks, ports, clock, names, log, memory and power.
  swapon: [167, 224],
  swapoff: [168, 225],
  reboot: [169, 142],
  acct: [163, 89],
  quotactl: [179, 60],
  quotactl_fd: [443, 443],
  iopl: [172, null],
  ioperm: [173, null],
  vhangup: [153, 58],
  nfsservctl: [180, 42],
  settimeofday: [164, 170],
  clock_settime: [227, 112],
  clock_adjtime: [305, 266],
  adjtimex: [159, 171],
  sethostname: [170, 161],
  setdomainname: [171, 162],
  syslog: [103, 116],
  mbind: [237, 235],
  migrate_pages: [256, 238],
  move_pages: [279, 239],
  set_mempolicy_home_node: [450, 450],
  // These calls are obsolete, and still exist on some machines.
  uselib: [134, null],
  ustat: [136, null],
  sysfs: [139, null],
  _sysctl: [156, null],
};

/** Calls whose arguments the filter checks. */
export const CHECKED_CALLS = {
  clone: [56, 220],
  clone3: [435, 435],
  ioctl: [16, 29],
  personality: [135, 92],
  socket: [41, 198],
  open: [2, null],
  openat: [257, 56],
  openat2: [437, 437],
  creat: [85, null],
  chmod: [90, null],
  fchmod: [91, 52],
  fchmodat: [268, 53],
  fchmodat2: [452, 452],
  mknod: [133, null],
  mknodat: [259, 33],
} as const satisfies typeof REFUSED_CALLS;

/** Returns the number of a call on an architecture; null where the architecture lacks the call. */
export function getCallNumber(
  [x64, arm64]: readonly [x64: number | null, arm64: number | null],
  architecture: Architecture,
): number | null {
  return architecture === 'x64' ? x64 : arm64;
}
