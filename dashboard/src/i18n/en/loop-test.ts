export default {
  title: 'Loop test',
  description: 'A text from each of two SIMs to the other shows that both send and receive.',
  run: 'Test now',
  emptyTitle: 'Two SIMs are needed',
  emptyText:
    'The loop test sends texts from one SIM to the other. Pair another phone, or put a second SIM in.',
  toPhones: 'Go to the phones',
  result: 'Last test',
  never: 'Not tested yet. Choose two SIMs, save, and test.',
  started: 'Started',
  to: 'to',
  seconds: 'Arrived after {{seconds, number}} s',
  results: { waiting: 'On its way', lost: 'Did not arrive', not_sent: 'Not sent' },
  waitingText: 'A text that does not arrive within ten minutes counts as lost.',
  reasons: {
    refused: 'The service refused to send it:',
    not_handed_over:
      'It still waits for its phone or SIM. Check that the phone is online and the SIM may send.',
    failed: 'The phone reported that it failed. Check the credit and the reception of the SIM.',
    not_reported: 'The phone has it, but did not report that it sent it. Open the app on the phone.',
    receiving_off: 'Receiving is switched off on the other phone. Switch it on in its app.',
    receiver_offline:
      'The other phone cannot be reached, so it could not pass the text on. Check that it is switched on and has internet.',
    not_received:
      'It was sent, and receiving is on, but nothing arrived. RCS chats swallow texts before any other app sees them: switch them off in the messages app of both phones. Then check that the app may read SMS, and that the number is right.',
  },
  message: 'See the message',
  settings: 'Which SIMs',
  counted:
    'Each test sends two messages. They are marked, and count for the plan and the limits of the SIMs as all messages do.',
  first: 'First SIM',
  second: 'Second SIM',
  sim: 'SIM',
  number: 'Its number',
  numberHint: 'With the country code, such as +447700900123. It is stored with the SIM.',
  nightly: 'Test each night',
  nightlyHint: 'A text that does not arrive is a problem on the overview.',
  hour: 'At',
  next: 'The next test runs',
  saved: 'The loop test is saved.',
};
