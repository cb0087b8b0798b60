import { HINT_KINDS as KINDS_OF_THE_SERVICE } from '../../../src/infrastructure/live/hint';
import { HINT_KINDS } from './read-again';

describe('what pages read again', () => {
  it('is known for each kind of change that the service tells of', () => {
    expect(HINT_KINDS.toSorted()).toEqual(KINDS_OF_THE_SERVICE.toSorted());
  });
});
