/** Letters, digits and the marks that stand in names of tags and branches. Git refuses spaces and `~^:?*[\`; a dash begins an option. */
const REF = /^[\p{L}\p{N}_#][\p{L}\p{M}\p{N}._/+#@=,%-]*$/u;

/** True for a name that git takes as a tag, a branch or a commit: `v1.2.0`, `Release/2.0`, `fix/#12+late`. Pure. */
export function isGitRef(ref: string): boolean {
  return REF.test(ref) && ref.length <= 200 && !/\.\.|@\{|\/\/|\/\.|[./]$|\.lock(?:\/|$)/.test(ref);
}
