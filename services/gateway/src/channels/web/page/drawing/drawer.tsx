import type { PageComponent } from '@signalbox/contracts/conversation/frames';
import type { ComponentChildren, ComponentType as View, VNode } from 'preact';
import type { z } from 'zod';

export interface ViewProps<P> {
  /** A press names the component by id and version. */
  readonly id: string;
  readonly version: string;
  readonly props: P;
  /** The drawn children: placed by the view with `placesChildren`, otherwise below the view. */
  readonly children?: ComponentChildren;
}

export type Drawable = Pick<PageComponent, 'id' | 'version' | 'type' | 'props'>;

/** Draws a component; null when its props are invalid. */
export type ComponentRenderer = (component: Drawable, children: ComponentChildren) => VNode | null;

/** Creates a drawer that validates props with this schema, once each, since props are replaced and never changed. */
export function createRenderer<S extends z.ZodType>(
  schema: S,
  Shown: View<ViewProps<z.output<S>>>,
  { placesChildren = false }: { readonly placesChildren?: boolean } = {},
): ComponentRenderer {
  const known = new WeakMap<object, z.ZodSafeParseResult<z.output<S>>>();
  return ({ id, version, props }, children) => {
    const read = known.get(props) ?? schema.safeParse(props);
    known.set(props, read);
    if (!read.success) return null;
    return (
      <>
        <Shown id={id} version={version} props={read.data}>
          {placesChildren ? children : null}
        </Shown>
        {!placesChildren && children}
      </>
    );
  };
}
