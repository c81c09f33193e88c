-- Who could approve is counted for every change: among operators and admins, however many people there are.
create index users_who_approve on users (role, user_key) where role in ('operator', 'admin');
