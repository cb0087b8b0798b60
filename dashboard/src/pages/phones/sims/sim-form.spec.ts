import type { Sim } from '../../../components/phones/phone';
import { toSimForm, toSimPatch } from './sim-form';

const sim: Sim = {
  _id: '665f1c2ab7e1d4a9c0f3e812',
  label: 'Work',
  enabled: true,
  health: { state: 'closed', failureRate: 0 },
  limits: { messagesPerDay: 200, timeZone: 'Europe/Berlin' },
  usage: {},
};

it('sends what it was given, and null for what is not set', () => {
  expect(toSimPatch(toSimForm(sim))).toEqual({
    label: 'Work',
    phoneNumber: null,
    enabled: true,
    limits: {
      partsPerMinute: null,
      messagesPerHour: null,
      messagesPerDay: 200,
      messagesPerMonth: null,
      recipientsPerMonth: null,
      monthStartsOn: null,
      timeZone: 'Europe/Berlin',
    },
  });
});

it('removes what was emptied, and keeps what is invalid for the API to refuse', () => {
  const form = toSimForm(sim);
  const patch = toSimPatch({
    ...form,
    label: '  ',
    limits: { ...form.limits, messagesPerDay: '', messagesPerHour: 0, timeZone: null },
  });
  expect(patch).toMatchObject({
    label: null,
    limits: { messagesPerDay: null, messagesPerHour: 0, timeZone: null },
  });
});
