import { PublicTypes } from './public-types';

describe('the entry points of the package', () => {
  const types = PublicTypes.read(['index.ts', 'testing.ts']);

  it('export every type in their public signatures', () => {
    expect(types.missingTypes()).toEqual([]);
  });

  it('export every error of the service', () => {
    expect(types.missingSubclassesOf('AppError')).toEqual([]);
  });
});
