export default {
  title: 'Account',
};
