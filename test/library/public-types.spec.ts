import { PublicTypes } from './public-types';

describe('the entry points of the package', () => {
  const types = PublicTypes.read(['index.ts', 'testing.ts']);

  it('export every type that their services, modules and types name', () => {
    expect(types.missingTypes()).toEqual([]);
  });

  it('export every error the service answers', () => {
    expect(types.missingSubclassesOf('AppError')).toEqual([]);
  });
});
