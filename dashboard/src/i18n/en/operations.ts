export default {
  title: 'Operations',
};
