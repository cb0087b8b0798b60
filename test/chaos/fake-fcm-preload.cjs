// Loaded into each process of the service before dist/main.js. Connects it to the fake FCM.
const net = require('node:net');
const { createRequire } = require('node:module');

// The build that runs, which may be that of another checkout.
const load = createRequire(process.argv[1]);
const { firebaseOptionsProvider } = load('./push/fcm/firebase-app.js');
const { FcmAgent } = load('./infrastructure/patches/fcm-agent.js');

const port = Number(process.env.CHAOS_FCM_PORT);

/** The production agent, but over plain HTTP to the fake. */
class PlainAgent extends FcmAgent {
  createConnection() {
    return net.connect(port, '127.0.0.1');
  }
}

firebaseOptionsProvider.useFactory = () => ({
  projectId: 'demo-project',
  credential: { getAccessToken: async () => ({ access_token: 'token-of-the-service', expires_in: 3600 }) },
  httpAgent: new PlainAgent(),
});
