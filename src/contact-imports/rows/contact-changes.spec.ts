import { Types } from 'mongoose';
import type { ContactContent } from '../../contacts/store/contact.schema';
import { changesBetween, isSameContent, withEntry, withoutChanges } from './contact-changes';

const [LIST, OTHER_LIST] = [new Types.ObjectId(), new Types.ObjectId()];
const [ONE, TWO] = ['+447700900123', '+447700900124'].map((number) => ({ number, peerNumber: number }));
const numbers = (...all: (typeof ONE)[]) => all.flatMap((each) => each ?? []);

const ANA: ContactContent = {
  ...{ name: 'Ana', numbers: numbers(ONE), tags: ['Kunde'], notes: 'a\r\nb', lists: [OTHER_LIST] },
  fields: [{ name: 'city', value: 'Leeds' }],
};
const ROW = {
  ...{ name: 'Anna', numbers: numbers(ONE, TWO), tags: ['kunde', 'VIP'], notes: 'a\nb', language: 'en' },
  fields: [
    { name: 'city', value: 'York' },
    { name: 'plan', value: 'x' },
  ],
};
const changed = () => {
  const after = withEntry(ANA, ROW, { list: LIST, tags: ['all'] });
  return { after, changes: changesBetween(ANA, after) ?? {} };
};

describe('what a row changes of a contact', () => {
  it('is what it has; numbers and groups are added, and notes with other line ends are the same', () => {
    const { after, changes } = changed();
    expect(after).toMatchObject({
      ...{
        name: 'Anna',
        numbers: [ONE, TWO],
        tags: ['Kunde', 'VIP', 'all'],
        notes: 'a\r\nb',
        language: 'en',
      },
      lists: [OTHER_LIST, LIST],
    });
    expect(changes).toEqual({
      name: { before: 'Ana', after: 'Anna' },
      language: { after: 'en' },
      fields: [
        { name: 'city', before: 'Leeds', after: 'York' },
        { name: 'plan', after: 'x' },
      ],
      ...{ addedNumbers: [TWO?.peerNumber], addedTags: ['VIP', 'all'], addedList: LIST },
    });
    expect(changesBetween(after, withEntry(after, ROW, { list: LIST, tags: ['all'] }))).toBeUndefined();
  });

  it('is taken back, and as often as that is asked for', () => {
    const { after, changes } = changed();
    const undone = withoutChanges(after, changes);
    expect(undone.isComplete).toBe(true);
    expect(isSameContent(undone.content, ANA)).toBe(true);
    expect(withoutChanges(undone.content, changes)).toEqual(undone);
  });

  it('stays where somebody has changed the same since', () => {
    const { after, changes } = changed();
    const later = { ...after, name: 'Ann', tags: ['VIP'], numbers: numbers(TWO), notes: undefined };
    const { content, isComplete } = withoutChanges(later, changes);
    expect(isComplete).toBe(false);
    expect(content).toMatchObject({ name: 'Ann', tags: [], numbers: [TWO], lists: [OTHER_LIST] });
    expect(content.fields).toEqual(ANA.fields);
    expect(content.language).toBeUndefined();
  });
});
