import { PHONE_NUMBER_PROBLEMS } from '../../../../src/common/phone-number';
import failures from '../../i18n/en/failures';
import { fieldOf, numbersOf, requestOf, type SendValues, sortErrors } from './send-values';

const VALUES: SendValues = {
  recipients: ['+447700900123'],
  text: 'Hello',
  sender: '',
  isLater: false,
  clock: '2026-07-31T09:00',
  zone: 'Europe/Berlin',
  isUrgent: false,
  validFor: '',
  keepsQuiet: false,
  quietFrom: '21:00',
  quietTo: '08:00',
  isTransactional: false,
};

describe('the request of a form', () => {
  it('names what was chosen only', () => {
    expect(requestOf(VALUES)).toEqual({ message: 'Hello', recipients: ['+447700900123'] });
  });

  it.each([
    [{ sender: 'device:a1' }, { deviceId: 'a1' }],
    [{ sender: 'pool:b2' }, { poolId: 'b2' }],
    [{ sender: 'sim:a1:0' }, { deviceId: 'a1', simSubscriptionId: 0 }],
    [{ isLater: true }, { scheduledAt: '2026-07-31T07:00:00.000Z' }],
    [{ isLater: true, clock: '' }, { scheduledAt: '' }],
    [
      { isUrgent: true, validFor: '300' },
      { priority: 'urgent', validForSeconds: 300 },
    ],
    [{ keepsQuiet: true }, { quietHours: { from: '21:00', to: '08:00' } }],
  ])('%j', (changed, fields) => {
    expect(requestOf({ ...VALUES, ...changed })).toEqual({ ...requestOf(VALUES), ...fields });
  });
});

describe('the errors of a request', () => {
  it('stand where they belong', () => {
    const details = [
      { field: 'recipients.3', message: 'recipients.3 "abc" is not a phone number' },
      { field: 'message', message: 'message is required' },
      { field: 'quietHours.to', message: 'quietHours.to must differ' },
      { field: 'colour', message: 'colour is unknown' },
    ];
    expect(sortErrors(details)).toEqual({
      badRecipients: [{ index: 3, message: '"abc" is not a phone number' }],
      text: 'message is required',
      options: 'quietHours.to must differ',
      others: ['colour is unknown'],
    });
  });
});

describe('the numbers of an address', () => {
  it.each([
    ['+447700900123, +447700900124 and +447700900125', ['+447700900123', '+447700900124', '+447700900125']],
    [undefined, []],
    [447700900123, ['447700900123']],
    ['+447700900123, 12345', ['+447700900123', '12345']],
    [
      ['+44', '+45'],
      ['+44', '+45'],
    ],
  ])('%j', (to, numbers) => {
    expect(numbersOf(to)).toEqual(numbers);
  });
});

describe('a field in a text', () => {
  it.each([
    ['Hello {{name}}, your order', '{{name}}'],
    ['Hello {name}', '{name}'],
    ['Hola {{ apellido paterno }}', '{{ apellido paterno }}'],
    ['{größe_1}', '{größe_1}'],
    ['{"json": 1} :-{ {} {{}} {1}', undefined],
    ['Hello Ada', undefined],
  ])('of %s is %s', (text, field) => {
    expect(fieldOf(text)).toBe(field);
  });
});

it('says of an unreadable number what the service says', () => {
  expect(failures.numbers).toEqual(PHONE_NUMBER_PROBLEMS);
});
