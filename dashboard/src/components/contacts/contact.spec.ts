import { toContactBody, toContactForm, titleOf } from './contact';

const CONTACT = {
  _id: 'id',
  name: '',
  numbers: [{ number: '0151', peerNumber: '+49151', label: 'Work' }],
  fields: { city: 'Leeds', plan: 'gold' },
  tags: ['a'],
  lists: [],
  createdAt: '',
  updatedAt: '',
};

describe('the form of a contact', () => {
  it('makes the request, which removes what was taken away', () => {
    const form = toContactForm(CONTACT);
    expect(toContactBody(form)).toEqual({
      name: '',
      numbers: [{ number: '0151', label: 'Work' }],
      fields: CONTACT.fields,
      tags: ['a'],
      notes: null,
      language: null,
    });
    const fields = [
      { name: ' city ', value: 'York' },
      { name: '', value: 'x' },
    ];
    const numbers = [...form.numbers, { number: ' ', label: '' }];
    const body = toContactBody({ ...form, fields, numbers, notes: 'x' }, CONTACT);
    expect(body).toMatchObject({ fields: { city: 'York', plan: '' }, notes: 'x' });
    expect(body.numbers).toHaveLength(1);
    expect(toContactForm(undefined, '+44', 'Note')).toMatchObject({
      numbers: [{ number: '+44' }],
      notes: 'Note',
    });
  });

  it('calls a person without a name by the number', () => {
    expect([titleOf(CONTACT), titleOf({ ...CONTACT, name: 'Ana' })]).toEqual(['0151', 'Ana']);
  });
});
