/** Number of bytes in a mebibyte, which people see as MB. */
export const MIB = 1024 * 1024;
