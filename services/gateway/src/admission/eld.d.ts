/** The part of the detector that is used; its own types have every size of its data in one. */
declare module 'eld/extrasmall' {
  export const eld: { detect(text: string): { getScores(): Readonly<Record<string, number>> } };
}
