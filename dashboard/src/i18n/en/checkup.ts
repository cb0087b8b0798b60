import english from '../../../../src/gateway/insight/checkup/english';

export default {
  title: 'Checkup',
  states: { ok: 'Good', warning: 'Warning', error: 'Error', unknown: 'Not known' },
  checks: {
    enabled: 'Enabled',
    connection: 'Connection',
    heartbeat: 'Heartbeat',
    battery_exemption: 'Battery optimisation',
    sms_permission: 'Permission to send SMS',
    sim: 'SIM',
    receiving: 'Receiving',
    android_limit: "Android's limit",
    clock: 'Clock',
    app_version: 'Version of the app',
  },
  ...english,
};
