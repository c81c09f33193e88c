import { isWebLink, WebLink } from '@signalbox/page-kit/web-link';
import { Fragment, type ComponentChildren, type VNode } from 'preact';
import { groupSpans, getText, type InlineText, type Style } from '../../../text/block.ts';
import { Words } from './words.tsx';

/** Text with its styles. */
export function Spans({ spans, level = 0 }: { readonly spans: InlineText; readonly level?: number }): VNode {
  return (
    <>
      {groupSpans(spans, level).map(({ style, spans: group }, place) => (
        <Fragment key={place}>
          {style === null ? (
            <Words text={getText(group)} />
          ) : (
            drawStyled(style, <Spans spans={group} level={level + 1} />)
          )}
        </Fragment>
      ))}
    </>
  );
}

function drawStyled(style: Style, children: ComponentChildren): VNode {
  switch (style.type) {
    case 'bold':
      return <strong>{children}</strong>;
    case 'italic':
      return <em>{children}</em>;
    case 'strikethrough':
      return <s>{children}</s>;
    case 'underline':
      return <u>{children}</u>;
    case 'code':
      return <code>{children}</code>;
    case 'url':
      return isWebLink(style.url) ? <WebLink url={style.url}>{children}</WebLink> : <>{children}</>;
  }
}
