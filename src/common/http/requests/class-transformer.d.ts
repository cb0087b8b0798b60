/** class-transformer has no types for this module. */
declare module 'class-transformer/cjs/storage' {
  export const defaultMetadataStorage: {
    findTypeMetadata(target: object, property: string): { typeFunction(): unknown } | undefined;
  };
}
