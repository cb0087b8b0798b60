import type { FindingCode } from './findings';

/** The sentences of a checkup, which the dashboard translates. Names in braces are facts of the check. */
export default {
  text: {
    enabled: 'It is enabled.',
    disabled: 'It is disabled: it sends nothing, and what it receives is not stored.',
    stream_open: 'Its connection to the service is open.',
    stream_closed: 'It has no connection to the service: messages wait until it is back.',
    push_ready: 'Push notifications can reach it.',
    push_missing: 'Push notifications cannot reach it.',
    reachable: 'It fetches its messages.',
    fetches_rarely: 'It fetches its messages only every 15 minutes.',
    unreachable: 'It does not fetch its messages.',
    unresponsive: 'It can be reached, but does not answer what it is handed.',
    heartbeat_recent: 'Its heartbeats arrive.',
    heartbeat_missed: 'No heartbeat has arrived for two intervals of {{minutes}} minutes.',
    heartbeat_off: 'Its heartbeat is switched off, so that nobody notices when Android stops the app.',
    heartbeat_unknown: 'It has sent no heartbeat yet.',
    battery_exempt: 'The app is exempt from battery optimisation.',
    battery_optimized: 'Battery optimisation is on for the app: Android may stop it in the background.',
    battery_unknown: 'The app does not tell whether it is exempt from battery optimisation.',
    permission_granted: 'The app may send SMS: it has sent one.',
    permission_refused: 'The app may not send SMS: Android refused it.',
    permission_unknown: 'It has sent nothing lately, so that it is not known whether the app may send SMS.',
    sim_present: 'It has a SIM.',
    sim_missing: 'It reports no SIM.',
    sim_not_found: 'The app did not find the SIM of a message.',
    sim_unknown: 'The app does not tell which SIMs it has.',
    receiving: 'Receiving is on, and texts arrive.',
    receiving_off: 'Receiving is off: texts to this phone are not stored.',
    loop_test_lost: 'Receiving is on, but the text of the last loop test did not arrive.',
    receiving_unproven: 'Receiving is on, but none of its latest messages was received.',
    limit_not_hit: 'Android has limited none of its latest messages.',
    limit_hit: 'Android has limited how many messages the app may send.',
    clock_right: 'Its clock is right.',
    clock_ahead: 'Its clock is at least {{minutes}} minutes ahead: times of its messages are wrong.',
    clock_behind: 'Its clock is at least {{minutes}} minutes behind: times of its messages are wrong.',
    clock_unknown: 'It has sent nothing lately by which its clock could be compared.',
    version_known: 'The app has version {{version}}.',
    version_unknown: 'The app has not told its version.',
  },
  /** What to do or to tap, of findings that need it. */
  remedy: {
    disabled: 'Enable it here. If it was switched off in its app, switch it on there.',
    stream_closed:
      'Check that it is switched on and online. Open the app, and check that it is started and has the right address.',
    push_missing:
      'Open the app on the phone, so that it registers again. If that does not help, set up Firebase on the server.',
    fetches_rarely: 'In the app, set the notification channel to SSE Only, then stop and start it.',
    unreachable:
      'Check that it is switched on and online. Open the app, and check that it is started and has the right address.',
    unresponsive:
      'Open the app. If it happens again, exempt it from battery optimisation, and restart the phone.',
    heartbeat_missed:
      'Open the app, check that its heartbeat or ping is on, and exempt it from battery optimisation.',
    heartbeat_off: 'Switch on the heartbeat in the app.',
    heartbeat_unknown:
      'Wait one interval. If none arrives, check in the app that the heartbeat or ping is on.',
    battery_optimized: 'In the Android settings of the app, set its battery usage to unrestricted.',
    battery_unknown: 'In the Android settings of the app, check that its battery usage is unrestricted.',
    permission_refused:
      'In the Android settings of the app, tap Permissions, then SMS, then Allow. If it is greyed out, first tap ⋮ and Allow restricted settings.',
    permission_unknown: 'Send a test message from it.',
    sim_missing: 'Put in a SIM, enter its PIN, and allow the app the permission Phone.',
    sim_not_found:
      'In the Android settings of the app, allow the permission Phone; check that the SIM is in the phone and switched on.',
    sim_unknown: 'Send a test message from it.',
    receiving_off: 'Switch on receiving in the app, if its texts are wanted.',
    loop_test_lost:
      'In the messages app of both phones, switch off RCS chats: they swallow texts. Allow the app to receive SMS, then repeat the test.',
    receiving_unproven:
      'Send a text to it. If it does not appear here, allow the app to receive SMS, and switch off RCS chats in the messages app of the phone: they swallow texts.',
    limit_hit: 'Lower partsPerMinute of the phone, spread sends over time, or add another phone.',
    clock_ahead: 'In the Android settings, switch on the automatic date and time.',
    clock_behind: 'In the Android settings, switch on the automatic date and time.',
    clock_unknown: 'Send a test message from it.',
    version_unknown: 'Check on the phone that it is up to date.',
  },
} satisfies { text: Record<FindingCode, string>; remedy: Partial<Record<FindingCode, string>> };
