import { Fragment, type VNode } from 'preact';
import { useContext } from 'preact/hooks';
import { FieldControlContext } from '../composer/field-control.ts';

/** A command in a text: a word after a slash that is no part of a path. */
const COMMAND = /(?<![^\s(])(\/[a-z][a-z0-9_]{1,31})(?![\w/.-])/;

/** Plain text in which each command is a button. A press fills the message field; the person sends it. */
export function CommandText({ text }: { readonly text: string }): VNode {
  const fieldControl = useContext(FieldControlContext);
  if (!text.includes('/')) return <>{text}</>;
  return (
    <>
      {text.split(COMMAND).map((piece, place) =>
        place % 2 === 0 ? (
          <Fragment key={place}>{piece}</Fragment>
        ) : (
          <button key={place} type="button" class="word" onClick={() => fieldControl?.fill(piece)}>
            {piece}
          </button>
        ),
      )}
    </>
  );
}
