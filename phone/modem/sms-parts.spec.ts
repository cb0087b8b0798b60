import fc from 'fast-check';
import { countParts } from '../sims/message-parts';
import { encodeSms } from './sms-parts';
import { joinParts, type ReceivedPart } from './received-parts';

const partOf = (id: number, text: string, udh: string, more: Partial<ReceivedPart> = {}): ReceivedPart => ({
  id,
  sender: '+447700900001',
  text,
  udh,
  receivedAt: 1_000 + id,
  ageMs: 0,
  ...more,
});

describe('the parts of an SMS', () => {
  it('are as many as the service counts, and joined they are the text', () => {
    const chars = fc.constantFrom('a', '€', '[', 'é', '\n', '\r\n', '👍', '👩‍👩‍👧', 'ж', ' ', 'Ω');
    const texts = fc.array(chars, { maxLength: 400 }).map((each) => each.join(''));
    fc.assert(
      fc.property(texts, fc.integer({ min: 0, max: 255 }), (text, reference) => {
        const { parts } = encodeSms(text, reference);
        expect(parts.map((part) => part.text).join('')).toBe(text);
        expect(parts.length).toBe(countParts(text));
        const rows = parts.map((part, index) => partOf(index + 1, part.text, part.udh));
        expect(joinParts(rows.reverse())).toMatchObject([{ message: text, receivedAtInMillis: 1_001 }]);
      }),
      { numRuns: 50 },
    );
  });

  it('fit into 160 or 153 septets, and 70 or 67 units', () => {
    expect(encodeSms('a'.repeat(160), 1).parts).toHaveLength(1);
    expect(encodeSms('€'.repeat(81), 1).parts.map(({ text }) => text.length)).toEqual([76, 5]);
    expect(encodeSms('ж'.repeat(71), 7).parts.map(({ udh }) => udh)).toEqual([
      '050003070201',
      '050003070202',
    ]);
  });
});

describe('joining received parts', () => {
  it('waits for missing parts, and marks those that never come', () => {
    const rows = [partOf(1, 'one ', '050003AA0301'), partOf(2, ' three', '050003AA0303')];
    expect(joinParts(rows)).toEqual([]);
    const old = rows.map((row) => ({ ...row, ageMs: 900_001 }));
    expect(joinParts(old)).toMatchObject([{ ids: [1, 2], message: 'one […] three' }]);
  });

  it('tells messages apart by sender, reference, total and a part that is there already', () => {
    const joined = joinParts([
      partOf(1, 'a1', '050003AA0201'),
      partOf(2, 'b1', '050003AA0201', { sender: '+447700900002' }),
      partOf(3, 'c1', '0608040 0AA0201'.replace(' ', '')),
      partOf(4, 'a2', '050003AA0202'),
      partOf(5, 'd1', '050003AA0201'),
      partOf(6, 'c2', '06080400AA0202'),
      partOf(7, 'b2', '050003AA0202', { sender: '+447700900002' }),
      partOf(8, 'd2', '050003AA0202'),
      partOf(9, 'alone', ''),
    ]);
    expect(joined.map(({ message }) => message).sort()).toEqual(['a1a2', 'alone', 'b1b2', 'c1c2', 'd1d2']);
  });

  it.each(['050003AA0203', '050003AA0100', '05', '0B05040B8423F0000300', 'zz'])(
    'takes a header that numbers no parts as that of a whole message: %s',
    (udh) => {
      expect(joinParts([partOf(1, 'text', udh)])).toMatchObject([{ message: 'text' }]);
    },
  );

  it('finds the numbers behind the other elements of a header', () => {
    const rows = [
      partOf(1, 'x', '0A240101000301020103'.slice(0, 0) + '08240101000301 0201'.replace(' ', '')),
      partOf(2, 'y', '082401010003010202'),
    ];
    expect(joinParts(rows)).toMatchObject([{ message: 'xy' }]);
  });
});
