export default {
  title: 'Queue',
  nothing: 'No messages wait for this phone on the server.',
  empty: 'Nothing waits',
  waiting_one: '{{count, number}} waiting',
  waiting_other: '{{count, number}} waiting',
  sim: 'SIM',
  messages: 'Messages',
  parts: 'Parts',
  endsAt: 'Sent until',
  phoneChooses: 'The phone chooses',
  unknownEnd: 'Not known',
  heldBack: '{{count, number}} held back: {{reason}}',
};
