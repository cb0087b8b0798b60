// Loaded into the process of the service before dist/main.js: counts its database commands and bytes. Nothing is changed.
const { answerRequests } = require('../preload/answer-requests.cjs');
const { countBytes, readBytes } = require('../preload/count-bytes.cjs');
const { countCommands, takeCommands } = require('../preload/count-commands.cjs');

countCommands();
countBytes();
answerRequests({ '/take-commands': takeCommands, '/bytes': readBytes });
