import type { ComponentChildren, VNode } from 'preact';

/** True for an absolute http or https address; nothing else opens from a message. */
export function isWebLink(url: string): boolean {
  return /^https?:\/\//i.test(url) && URL.canParse(url);
}

/** A link that opens in a tab of its own, which learns nothing of this page. */
export function WebLink({ url, children }: { readonly url: string; readonly children: ComponentChildren }): VNode {
  return (
    <a href={url} title={url} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  );
}
