import type { ComponentChildren, VNode } from 'preact';

/** True for an absolute http or https URL. Messages open no other URLs. */
export function isWebLink(url: string): boolean {
  return /^https?:\/\//i.test(url) && URL.canParse(url);
}

/** A link that opens a new tab, which receives no reference to this page. */
export function WebLink({ url, children }: { readonly url: string; readonly children: ComponentChildren }): VNode {
  return (
    <a href={url} title={url} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  );
}
