/** The key by which a field of a result and an argument mean the same: `findingId` and `finding`. Pure. */
export function toFieldKey(field: string): string {
  return field.replace(/_?id$/i, '').replaceAll('_', '').toLowerCase();
}
