import type { Model } from 'mongoose';

export interface ManagedIndex {
  readonly collection: string;
  readonly name: string;
  /** Formatted by `formatIndexKey`. */
  readonly key: string;
}

export function declaredIndexes(model: Model<unknown>): ManagedIndex[] {
  return model.schema.indexes().map(([key, options]) => ({
    collection: model.collection.name,
    name: options.name ?? defaultNameOf(key),
    key: formatIndexKey(key),
  }));
}

/** `<collection>.<name>` */
export function idOf({ collection, name }: ManagedIndex): string {
  return `${collection}.${name}`;
}

/** As JSON, because the order of the fields matters. */
export function formatIndexKey(key: object): string {
  return JSON.stringify(key);
}

/** The default name of the driver. */
function defaultNameOf(key: Readonly<Record<string, unknown>>): string {
  return Object.entries(key)
    .map(([field, direction]) => `${field}_${String(direction)}`)
    .join('_');
}
