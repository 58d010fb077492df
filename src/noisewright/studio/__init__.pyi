from .serving import add_user as add_user, remove_user as remove_user, serve as serve
