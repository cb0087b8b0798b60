import { recipientPreview } from '../../../../src/messages/recipient-preview';
import { readPreview } from './recipient-preview';

const numbers = ['+447700900001', '+447700900002', '+447700900003'];

it.each([
  [30, { first: numbers.join(', '), more: 27 }],
  [4, { first: numbers.join(', '), more: 1 }],
  [3, { first: numbers.join(', '), more: 0 }],
  [0, { first: '', more: 0 }],
])('reads what the service says of %i recipients', (count, expected) => {
  expect(readPreview(recipientPreview(numbers.slice(0, count), count))).toEqual(expected);
});
