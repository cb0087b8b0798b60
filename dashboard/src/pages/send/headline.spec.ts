import { headlineOf } from './headline';

const NONE = { pending: 0, dispatched: 0, sent: 0, delivered: 0, failed: 0, unknown: 0 };
const headline = (
  states: Partial<typeof NONE>,
  cancelledCount = 0,
  recipientCount = 3,
  suppressedCount = 0,
) => {
  const counts = { cancelledCount, suppressedCount, recipientCount };
  const { key, part } = headlineOf({ states: { ...NONE, ...states }, ...counts });
  return [key.replace('send.headline.', ''), part];
};

describe('the headline of a send', () => {
  it.each([
    ['one of three has failed', headline({ delivered: 2, failed: 1 }), ['failedSome', 1]],
    ['one has failed while others wait', headline({ pending: 2, failed: 1 }), ['failedSome', 1]],
    ['all have failed', headline({ failed: 3 }), ['failedAll', 3]],
    ['the only one has failed', headline({ failed: 1 }, 0, 1), ['failedAll', 1]],
    ['one was cancelled and one failed', headline({ sent: 1, failed: 2 }, 1), ['failedSome', 1]],
    ['two were cancelled', headline({ sent: 1, failed: 2 }, 2), ['cancelledSome', 2]],
    ['all were cancelled', headline({ failed: 3 }, 3), ['cancelledAll', 3]],
    ['one recipient has opted out', headline({ sent: 2, failed: 1 }, 0, 3, 1), ['suppressedSome', 1]],
    ['all recipients have', headline({ failed: 3 }, 0, 3, 3), ['suppressedAll', 3]],
    ['nobody knows about one', headline({ sent: 2, unknown: 1 }), ['unknownSome', 1]],
    ['some wait', headline({ pending: 1, delivered: 2 }), ['accepted', 0]],
    ['all are sent, and not all delivered', headline({ sent: 1, delivered: 2 }), ['sent', 0]],
    ['all are delivered', headline({ delivered: 3 }), ['delivered', 0]],
  ])('tells that %s', (_case, found, expected) => {
    expect(found).toEqual(expected);
  });
});
