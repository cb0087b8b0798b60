// Loaded into each process of the service before dist/main.js: counts its database commands. Nothing is changed.
const { answerRequests } = require('../preload/answer-requests.cjs');
const { countCommands, takeCommands } = require('../preload/count-commands.cjs');

countCommands();
answerRequests({ '/take-commands': takeCommands });
