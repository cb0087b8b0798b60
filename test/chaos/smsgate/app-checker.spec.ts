import { checkApps } from './app-checker';
import type { AppEvidence, AppPhoneEvidence } from './app-evidence';

const PHONE: AppPhoneEvidence = {
  device: 'phone',
  aired: ['m1', 'm2'],
  sms: new Map([
    ['m1', { state: 'Delivered', states: { Sent: 1, Delivered: 2 } }],
    ['m2', { state: 'Sent', states: { Sent: 1 } }],
    ['m3', { state: 'Failed', states: { Failed: 1 } }],
  ]),
  received: ['Hello'],
  violations: [],
};

/** A run without findings. */
const CLEAN: AppEvidence = {
  phones: [PHONE],
  recipients: ['1', '2', '3'],
  messages: [
    { id: 'm1', device: 'phone', recipient: '1', status: 'delivered' },
    { id: 'm2', device: 'phone', recipient: '2', status: 'sent' },
    { id: 'm3', device: 'phone', recipient: '3', status: 'failed' },
  ],
  stored: [{ device: 'phone', text: 'Hello' }],
  errors: [],
};

const NOTHING = { losses: [], duplicates: [], wrongStates: [], lostDeliveries: [], otherErrors: [] };

const phone = (changes: Partial<AppPhoneEvidence>): AppEvidence => ({
  ...CLEAN,
  phones: [{ ...PHONE, ...changes }],
});
const withStatus = (status: string): AppEvidence => ({
  ...CLEAN,
  messages: CLEAN.messages.map((each) => (each.id === 'm1' ? { ...each, status } : each)),
});

describe('the check of a run with the app', () => {
  it('finds nothing in a clean run, nor that a message is unknown', () => {
    expect(checkApps(CLEAN)).toEqual(NOTHING);
    expect(checkApps(withStatus('unknown'))).toEqual(NOTHING);
  });

  it.each<[string, AppEvidence, Partial<Record<keyof typeof NOTHING, string[]>>]>([
    ['an SMS aired twice', phone({ aired: ['m1', 'm2', 'm1'] }), { duplicates: ['m1 was aired twice'] }],
    [
      'an SMS of nobody',
      phone({ aired: ['m1', 'm2', 'mx'] }),
      { otherErrors: ['mx was aired by phone, to which it does not belong'] },
    ],
    [
      'a violation of the protocol',
      phone({ violations: ['101 messages'] }),
      { otherErrors: ['phone: 101 messages'] },
    ],
    [
      'a message that stays on its way',
      withStatus('dispatched'),
      { losses: ['m1 stayed dispatched'], wrongStates: ['m1 is dispatched, in the phone Delivered'] },
    ],
    ['a wrong state', withStatus('failed'), { wrongStates: ['m1 is failed, in the phone Delivered'] }],
    [
      'a delivery whose report was lost',
      withStatus('sent'),
      { lostDeliveries: ['m1 is sent, in the phone Delivered'] },
    ],
    [
      'a message that was not sent and is said to be',
      { ...CLEAN, messages: CLEAN.messages.map((each) => ({ ...each, status: 'sent' })) },
      {
        wrongStates: ['m3 is sent, in the phone Failed'],
        lostDeliveries: ['m1 is sent, in the phone Delivered'],
      },
    ],
    [
      'a message that is gone',
      { ...CLEAN, recipients: ['1', '4'] },
      { losses: ['the message to 4 is not stored'] },
    ],
    [
      'a recipient with two messages',
      {
        ...CLEAN,
        messages: [...CLEAN.messages, { id: 'm4', device: 'phone', recipient: '1', status: 'failed' }],
      },
      { duplicates: ['2 messages to 1'] },
    ],
    ['a text that is missing', { ...CLEAN, stored: [] }, { losses: ['not stored: phone: Hello'] }],
    [
      'a text that is stored twice',
      { ...CLEAN, stored: [...CLEAN.stored, ...CLEAN.stored] },
      { duplicates: ['stored twice: phone: Hello'] },
    ],
    [
      'a text that nobody sent',
      { ...CLEAN, stored: [...CLEAN.stored, { device: 'phone', text: 'Hi' }] },
      { otherErrors: ['never arrived: phone: Hi'] },
    ],
    ['a process that failed', { ...CLEAN, errors: ['api 1 exited'] }, { otherErrors: ['api 1 exited'] }],
  ])('finds %s', (_name, evidence, expected) => {
    expect(checkApps(evidence)).toEqual({ ...NOTHING, ...expected });
  });
});
