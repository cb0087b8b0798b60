/** class-transformer has no types for this module. */
declare module 'class-transformer/cjs/storage' {
  import type { TransformationType, TransformFnParams } from 'class-transformer';

  export const defaultMetadataStorage: {
    findTransformMetadatas(
      target: object,
      property: string,
      transformation: TransformationType,
    ): { transformFn(params: TransformFnParams): unknown }[];
    findTypeMetadata(target: object, property: string): { typeFunction(): unknown } | undefined;
  };
}
