/** Why messages wait, on every page. The explanation of a message says it in a sentence, with the names of its SIM and phone. */
export default {
  parts_per_minute: 'Pace of the SIM or of Android',
  messages_per_hour: 'The SIM has reached its limit for the hour',
  messages_per_day: 'The SIM has reached its limit for the day',
  messages_per_month: 'The SIM has reached its limit for the month',
  recipients_per_month: 'The SIM has reached its limit of recipients for the month',
  sim_disabled: 'The SIM is disabled',
  sim_absent: 'The SIM is not in the phone',
  sim_unhealthy: 'Too many messages fail on the SIMs of the pool',
  phone_unreachable: 'No phone that may send can be reached',
  phone_fetch: 'The phone has not fetched them yet',
  no_sim_for_country: 'No SIM of the pool may send to this country',
  pool_empty: 'The pool has no SIMs',
  quiet_hours: 'Quiet hours where the recipient is',
  paused: 'The campaign is paused',
};
