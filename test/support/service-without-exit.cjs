/** Runs the built service without process.exit(): after close() nothing may keep the process alive. */
require('reflect-metadata');
const { createApp } = require('../../dist/bootstrap');
const { loadConfiguration } = require('../../dist/config/configuration');
const { readProcessEnvironment } = require('../../dist/config/environment/environment');

async function main() {
  const app = await createApp(loadConfiguration(readProcessEnvironment()));
  await app.init();
  process.once('message', async () => {
    await app.close();
    process.disconnect();
  });
  process.send('ready');
}

main().catch((failure) => {
  console.error(failure);
  process.exit(1);
});
