print("quakes")
