/** Bytes of a mebibyte, which this product calls MB for people. */
export const MIB = 1024 * 1024;
