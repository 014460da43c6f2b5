import Sallyport
