/** Bytes of a mebibyte, shown to people as MB. */
export const MIB = 1024 * 1024;
